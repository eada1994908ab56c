/// A small archive for machines without dpkg; written for the demo, so names are real and figures are not.
enum SamplePackages {
    static let text = """
        Package: libc6
        Version: 2.36-9
        Installed-Size: 12986
        Maintainer: C Library Team <libc@example.org>
        Architecture: amd64
        Depends: libgcc-s1
        Recommends: libidn2-0 (>= 2.0.5)
        Suggests: locales, glibc-doc
        Description: C library: shared libraries
        Section: libs

        Package: libgcc-s1
        Version: 12.2.0-14
        Installed-Size: 140
        Maintainer: Compiler Team <gcc@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.35)
        Description: compiler support library
        Section: libs

        Package: libidn2-0
        Version: 2.3.3-1
        Installed-Size: 268
        Maintainer: Text Team <text@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.14), libunistring2 (>= 0.9.7)
        Description: internationalised domain names
        Section: libs

        Package: libunistring2
        Version: 1.0-2
        Installed-Size: 1746
        Maintainer: Text Team <text@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.14)
        Description: Unicode strings for C
        Section: libs

        Package: zlib1g
        Version: 1:1.2.13
        Installed-Size: 168
        Maintainer: Compression Team <compression@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.14)
        Provides: libz1
        Description: compression library
        Section: libs

        Package: libpng16-16
        Version: 1.6.39-2
        Installed-Size: 391
        Maintainer: Graphics Team <graphics@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.29), zlib1g (>= 1:1.2.11)
        Description: PNG library
        Section: libs

        Package: mawk
        Version: 1.3.4
        Installed-Size: 246
        Maintainer: Text Team <text@example.org>
        Architecture: amd64
        Pre-Depends: libc6 (>= 2.29)
        Provides: awk
        Description: pattern scanning and text processing
        Section: interpreters

        Package: gawk
        Version: 1:5.2.1-2
        Installed-Size: 2672
        Maintainer: Text Team <text@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.33), libreadline8 (>= 6.0)
        Suggests: gawk-doc
        Provides: awk
        Description: the GNU awk
        Section: interpreters

        Package: libreadline8
        Version: 8.2-1
        Installed-Size: 475
        Maintainer: Shell Team <shell@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.33)
        Description: line editing with history
        Section: libs

        Package: base-files
        Version: 12.4
        Installed-Size: 341
        Maintainer: Base Team <base@example.org>
        Architecture: amd64
        Pre-Depends: awk
        Description: base system files
        Section: admin

        Package: bash
        Version: 5.2.15-2
        Installed-Size: 7164
        Maintainer: Shell Team <shell@example.org>
        Architecture: amd64
        Depends: base-files (>= 2.1.12), libreadline8 (>= 8.1)
        Pre-Depends: libc6 (>= 2.36)
        Suggests: bash-doc
        Description: the GNU shell
        Section: shells

        Package: exim4
        Version: 4.96-15
        Installed-Size: 1800
        Maintainer: Mail Team <mail@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.36)
        Provides: mail-transport-agent
        Description: mail transport agent
        Section: mail

        Package: cron
        Version: 3.0-162
        Installed-Size: 262
        Maintainer: Base Team <base@example.org>
        Architecture: amd64
        Depends: libc6 (>= 2.34)
        Recommends: exim4 | mail-transport-agent
        Description: runs commands at set times
        Section: admin
        """
}
