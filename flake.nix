# nix build: the program with manual, completions and units; nix run . -- doctor; nix develop: a shell with what it is built with.
{
  description = "Find out what a single-board computer or small server really does, and why";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "armv7l-linux"
        "riscv64-linux"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "sbc-bench";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=sbc-bench" ];
          # Tests want the tools of a development machine; ./test runs them.
          doCheck = false;
          # Where cargo puts the binary depends on the target.
          installPhase = ''
            runHook preInstall
            PREFIX=$out SYSCONFDIR=$out/etc sh packaging/install.sh "$(find target -path '*/release/sbc-bench' -type f | head -n 1)"
            runHook postInstall
          '';
          SBC_BENCH_COMMIT = self.shortRev or "";
          meta = {
            description = "Benchmark of single-board computers that measures clocks and explains scores";
            license = [
              pkgs.lib.licenses.mit
              pkgs.lib.licenses.asl20
            ];
            mainProgram = "sbc-bench";
            platforms = systems;
          };
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.rustc
            pkgs.clippy
            pkgs.rustfmt
            pkgs.iproute2
            pkgs.iperf3
          ];
        };
      });
    };
}
