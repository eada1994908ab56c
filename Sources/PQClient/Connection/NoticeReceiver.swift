internal import CLibPQ

/// The receiver of libpq's notices, so that none is written to stderr.
final class NoticeReceiver {
    var handler: ((Notice) -> Void)?

    /// Routes the notices of `handle` here. The caller keeps this object as long as the handle lives.
    func install(on handle: OpaquePointer) {
        _ = PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ result: OpaquePointer) {
        guard let handler else { return }
        handler(
            Notice(
                severity: PostgresError.field(HOWDAH_FIELD_SEVERITY, of: result) ?? "NOTICE",
                sqlState: PostgresError.field(HOWDAH_FIELD_SQLSTATE, of: result),
                message: PostgresError.field(HOWDAH_FIELD_MESSAGE, of: result) ?? "",
                detail: PostgresError.field(HOWDAH_FIELD_DETAIL, of: result)))
    }
}
