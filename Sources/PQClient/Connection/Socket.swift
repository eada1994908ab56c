import Foundation

/// Functions that wait on a file descriptor until a deadline.
enum Socket {
    /// Waits until one of the two is possible, or the socket is broken. If `deadline` passes first, it
    /// returns false.
    static func wait(
        _ descriptor: Int32, reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant?
    ) -> Bool {
        guard descriptor >= 0 else { return true }
        var request = pollfd(
            fd: descriptor, events: Int16((reading ? POLLIN : 0) | (writing ? POLLOUT : 0)), revents: 0)
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let remaining = ContinuousClock.now.duration(to: deadline)
                if remaining <= .zero { return false }
                // Rounded up, so that the last millisecond is not spent spinning.
                let parts = min(remaining, .seconds(86_400)).components
                timeout = Int32(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1)
            }
            let ready = poll(&request, 1, timeout)
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return true }
        }
    }

    /// Returns true if there is data to read, or the end of the stream; never blocks.
    static func isReadable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }
}
