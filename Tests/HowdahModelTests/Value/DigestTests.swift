import Foundation
import Testing

@testable import HowdahModel

/// SHA-256 and MD5 against the published vectors, and against other programs over random messages.
@Suite struct DigestTests {
    /// FIPS 180-4's examples, as NIST publishes them, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func sha256GivesThePublishedDigests(_ message: String, _ digest: String) {
        #expect(SHA256.hexadecimal(of: message.utf8) == digest)
    }

    /// The test suite of RFC 1321, appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
    func md5GivesThePublishedDigests(_ message: String, _ digest: String) {
        #expect(MD5.hexadecimal(of: message.utf8) == digest)
    }

    /// Every length up to four blocks, so that each way to pad the last block occurs, and some long messages.
    @Test(
        .enabled(if: program("sha256sum") != nil && program("md5sum") != nil, "coreutils are not installed"))
    func bothAgreeWithCoreutils() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var random = SystemRandomNumberGenerator()
        let lengths = Array(0...256) + (0..<20).map { _ in Int.random(in: 257...100_000, using: &random) }
        var messages: [[UInt8]] = []
        for (number, length) in lengths.enumerated() {
            let message = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try Data(message).write(to: folder.appending(path: String(format: "%04d", number)))
            messages.append(message)
        }
        #expect(try digests("sha256sum", in: folder) == messages.map { SHA256.hexadecimal(of: $0) })
        #expect(try digests("md5sum", in: folder) == messages.map { MD5.hexadecimal(of: $0) })
    }

    private func digests(_ name: String, in folder: URL) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        let (process, pipe) = (Process(), Pipe())
        let executable: URL = try #require(program(name))
        process.executableURL = executable
        process.arguments = files
        process.currentDirectoryURL = folder
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map {
            String($0.prefix { $0 != " " })
        }
    }
}

private func program(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
}
