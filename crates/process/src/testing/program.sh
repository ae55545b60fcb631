#!/bin/sh
# Stands in for any program: a link to this file named NAME runs the shell lines of NAME.body.
# A file that is never written while tests run cannot be "busy" when it is started.
. "$0.body"
