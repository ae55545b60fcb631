//! Values of columns, and rows of them.

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    /// Number or flag.
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    /// Replaces the character 0, which PostgreSQL cannot store in a text.
    fn from(value: &str) -> Self {
        Self::Text(value.replace('\0', "\u{fffd}"))
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        value.as_str().into()
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Values of one row, in the order of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// None for NULL.
    pub fn integer(&self, column: usize) -> Option<i64> {
        match self.0.get(column) {
            Some(Value::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    /// False for NULL.
    pub fn flag(&self, column: usize) -> bool {
        self.integer(column).is_some_and(|value| value != 0)
    }

    /// None for NULL.
    pub fn real(&self, column: usize) -> Option<f64> {
        match self.0.get(column) {
            Some(Value::Real(value)) => Some(*value),
            Some(Value::Integer(value)) => Some(*value as f64),
            _ => None,
        }
    }

    /// None for NULL.
    pub fn text(&self, column: usize) -> Option<&str> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// Empty for NULL.
    pub fn words(&self, column: usize) -> String {
        self.text(column).unwrap_or_default().to_owned()
    }

    /// Empty for NULL.
    pub fn bytes(&self, column: usize) -> &[u8] {
        match self.0.get(column) {
            Some(Value::Bytes(value)) => value,
            _ => &[],
        }
    }
}
