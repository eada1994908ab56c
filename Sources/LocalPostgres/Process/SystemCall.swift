#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns the C convention of -1 and `errno` into an error that says what was tried.
enum SystemCall {
    /// Runs the call again while a signal interrupts it.
    @discardableResult
    static func check(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(LocalPostgresError)
        -> Int32
    {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw failure(what(), code) }
        }
    }

    /// - Parameter remedy: The sentence for a missing permission.
    static func failure(
        _ what: String, _ code: Int32,
        denied remedy: String = "Check the permissions, or choose another folder."
    ) -> LocalPostgresError {
        LocalPostgresError(
            .system, "\(what): \(String(cString: strerror(code))).\(self.remedy(code, remedy))")
    }

    private static func remedy(_ code: Int32, _ denied: String) -> String {
        switch code {
        case EACCES, EPERM: " " + denied
        case EROFS: " Choose a folder on a file system that you can write."
        case ENOENT, ENOTDIR: " Check that the path exists."
        case ENOSPC, EDQUOT: " Free space on the disk."
        case EMFILE, ENFILE: " Close open files, or raise their limit (ulimit -n)."
        default: ""
        }
    }

    /// Moves a descriptor above the ones a child gets, so that handing them over can never overwrite it; this
    /// also holds in a process that was started with its standard input closed.
    static func raised(_ descriptor: Int32) throws(LocalPostgresError) -> Int32 {
        defer { _ = close(descriptor) }
        return try check("Cannot duplicate a file descriptor") { fcntl(descriptor, F_DUPFD_CLOEXEC, 10) }
    }
}
