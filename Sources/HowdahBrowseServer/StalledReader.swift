#if Browser || All
import NIOCore

/// Closes a connection whose reader has taken nothing of a response for some time.
///
/// Until then, the process holds the part of the value or the export that is being sent.
final class StalledReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var closing: Scheduled<Void>?

    init(limit: TimeAmount) { self.limit = limit }

    /// The channel is writable as long as the reader takes what is sent.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let channel = context.channel
        closing?.cancel()
        closing =
            channel.isWritable
            ? nil : context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }
}
#endif
