import CryptoExtras
import Foundation
import Howdah

extension User {
    private static let saltLength = 16

    /// Stores a salt and the scrypt hash of the password, never the password.
    func setPassword(_ text: String) throws {
        let salt = Data((0..<Self.saltLength).map { _ in UInt8.random(in: 0...255) })
        password = try salt + Self.hash(text, salt)
    }

    /// Compares in constant time; false for nil, after the same time.
    static func matches(_ text: String, _ stored: Data?) throws -> Bool {
        let hash = try hash(text, stored?.prefix(saltLength) ?? Data(count: saltLength))
        guard let expected = stored?.dropFirst(saltLength) else { return false }
        return hash.count == expected.count && zip(hash, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The parameters of OWASP: 16 MiB, and some tenths of a second of one core, for each guess.
    private static func hash(_ text: String, _ salt: Data) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(text.utf8), salt: salt, outputByteCount: 32, rounds: 1 << 14, blockSize: 8,
            parallelism: 5)
        return key.withUnsafeBytes { Data($0) }
    }
}
