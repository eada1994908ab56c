import Foundation

/// A temporary file without a name, which ends with this object or with the process.
final class SpoolFile: Sendable {
    private let descriptor: Int32
    private let directory: String

    /// Creates a file in `directory` that only this user may read, and removes its name.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    convenience init(in directory: URL) throws {
        let folder = directory.path(percentEncoded: false)
        let path = directory.appending(path: "howdah-\(UUID().uuidString)").path(percentEncoded: false)
        let descriptor = Self.repeating { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw Self.failure("created", folder) }
        self.init(descriptor: descriptor, directory: folder)
        guard unlink(path) == 0 else { throw Self.failure("created", folder) }
    }

    /// Creates a file from an open descriptor.
    init(descriptor: Int32, directory: String) {
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit { close(descriptor) }

    /// Writes all of `bytes` from `offset` on.
    ///
    /// - Throws: `StoreError` with `temporaryFile`, for example if the disk is full.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = Self.repeating {
                pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            guard count > 0 else { throw Self.failure("written", directory) }
            done += count
        }
    }

    /// Reads `count` bytes from `offset` on.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                let read = Self.repeating {
                    pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
                }
                guard read > 0 else { throw Self.failure("read", directory) }
                done += read
            }
        }
    }

    /// Repeats a system call that a signal interrupted.
    private static func repeating<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private static func failure(_ verb: String, _ directory: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            .temporaryFile,
            "The temporary file of a stream could not be \(verb) in \(directory): \(reason). Nothing was saved. Free "
                + "space in that directory, or set StoreOptions.temporaryDirectory to another directory.")
    }
}
