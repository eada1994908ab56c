import Foundation

/// Where packages come from.
enum PackageSource: String, CaseIterable, Sendable {
    /// What dpkg has installed on this machine.
    case status
    /// Everything that apt could install, from the lists it keeps.
    case list
    /// A few packages that come with the demo, for machines without dpkg.
    case sample

    static let statusFile = "/var/lib/dpkg/status"
    private static let aptCache = "/usr/bin/apt-cache"

    /// The sources to read where nobody said which: what this machine has.
    static var present: [PackageSource] {
        let found = [PackageSource.status, .list].filter(\.isPresent)
        return found.isEmpty ? [.sample] : found
    }

    var isPresent: Bool {
        switch self {
        case .status: FileManager.default.isReadableFile(atPath: Self.statusFile)
        case .list: FileManager.default.isExecutableFile(atPath: Self.aptCache)
        case .sample: true
        }
    }

    var title: String {
        switch self {
        case .status: "Installed packages, from \(Self.statusFile)"
        case .list: "All packages known to apt, from apt-cache dumpavail"
        case .sample: "Sample packages of the demo"
        }
    }

    /// Whether the source tells what is installed; then it is right where another source says something else.
    var isInstalled: Bool { self != .list }

    /// About how many packages there will be, for the progress bar; nil where nobody knows.
    func expectedCount() -> Int? {
        switch self {
        case .status:
            try? String(contentsOfFile: Self.statusFile, encoding: .utf8).split(separator: "\n")
                .count { $0.hasPrefix("Package:") }
        case .list: Self.countKnownToApt()
        case .sample: SamplePackages.text.split(separator: "\n").count { $0.hasPrefix("Package:") }
        }
    }

    /// Begins to read; close the stream when done.
    func open() throws -> PackageStream {
        switch self {
        case .status:
            guard let file = FileHandle(forReadingAtPath: Self.statusFile) else {
                throw DemoError("\(Self.statusFile) cannot be read. Run the demo with --only sample.")
            }
            return PackageStream(file)
        case .list:
            let process = try Self.apt("dumpavail")
            return PackageStream(process.output, process: process.process)
        case .sample: return PackageStream(text: SamplePackages.text)
        }
    }

    private static func apt(_ command: String) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: aptCache)
        process.arguments = [command]
        process.environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw DemoError("apt-cache does not start: \(error). Run the demo with --only status.")
        }
        return (process, pipe.fileHandleForReading)
    }

    private static func countKnownToApt() -> Int? {
        guard let (process, output) = try? apt("stats"), let data = try? output.readToEnd() else {
            return nil
        }
        process.waitUntilExit()
        var count = 0
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
        where line.contains("Normal packages:") || line.contains("Mixed virtual packages:") {
            count += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }
        return count > 0 ? count : nil
    }
}
