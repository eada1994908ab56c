import Foundation
import Synchronization

/// Stands between a client and its server, knows where messages begin, and breaks connections: one at a chosen message,
/// or any at random; it can go silent, and keep the answer to COMMIT to itself.
public final class CuttingProxy: Sendable {
    /// The direction of a message.
    public enum Direction: CaseIterable, Sendable { case toServer, toClient }

    /// The side that notices a break.
    public enum Way: CaseIterable, Sendable {
        /// Both ends notice.
        case bothEnds
        /// The client notices; the server's end stays open, and what was not yet passed on comes late.
        case clientOnly
        /// The server's end breaks, and the client gets the answer of a pooler, which is no error that ends a session.
        case answered
    }

    /// Where the next connection that is used breaks: before this message is passed on.
    private struct Plan {
        let direction: Direction
        let message: Int
        let way: Way
        var victim: Int?
        var passed = 0
        var hasCut = false
    }

    private struct Late {
        let server: Int32
        var bytes: [UInt8]
    }

    private struct State {
        var plan: Plan?
        var late: [Late] = []
        var isRefusing = false
        var isStopped = false
        var isSilent = false
        /// Indicates whether messages after a dropped answer to COMMIT are kept from the server, but for the opening of sessions.
        var holdsAfterDrop = false
        var isHolding = false
        var numberOfLinks = 0
        var links: [Int: ProxyLink] = [:]
        /// One of so many messages breaks its connection; none if 0.
        var chance = 0
        /// One of so many answers to COMMIT is dropped with its connection; none if 0.
        var commitChance = 0
        var random: UInt64
        var cuts = 0

        /// True once in `chance` calls, by a generator with a seed (xorshift).
        mutating func draws(_ chance: Int) -> Bool {
            guard chance > 0 else { return false }
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return random % UInt64(chance) == 0
        }
    }

    /// The way of one message.
    private enum Passage { case pass, cut, cutWithin }

    /// The connection string to use instead of the server's.
    public let conninfo: String
    private let upstream: String
    private let folder: URL
    private let listener: Int32
    private let state: Mutex<State>

    /// Listens in front of the server of a connection string.
    ///
    /// - Parameter seed: decides which messages break their connections after ``cutAtRandom(oneIn:)``.
    public init(_ url: String, seed: UInt64 = 1) throws {
        var address = try ServerAddress(url)
        upstream = address.socketPath
        folder = FileManager.default.temporaryDirectory.appending(
            path: "cut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        address.folder = folder.path(percentEncoded: false)
        conninfo = address.url
        listener = try UnixStream.listen(on: address.socketPath)
        state = Mutex(State(random: seed &* 2 &+ 1))
        Thread.detachNewThread { [self] in serve() }
    }

    /// Breaks the connection that is used next, before the message of that number, from 0.
    public func arm(_ direction: Direction, _ message: Int, _ way: Way) {
        state.withLock { $0.plan = Plan(direction: direction, message: message, way: way) }
    }

    /// Ends the plan; returns true if a connection was broken.
    public func disarm() -> Bool {
        state.withLock { state in
            defer { state.plan = nil }
            return state.plan?.hasCut ?? false
        }
    }

    /// Decides whether new connections end at once.
    public func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// Breaks one of `messages` connections, for both ends, some in the middle of a message; 0 ends this.
    public func cutAtRandom(oneIn messages: Int) { state.withLock { $0.chance = messages } }

    /// Breaks connections when the server has committed, before the client learns it: one of `commits`; 0 ends this.
    public func dropAnswersToCommit(oneIn commits: Int) { state.withLock { $0.commitChance = commits } }

    /// Passes on nothing from now on, or what came meanwhile: connections are accepted and never answered.
    public func silence(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    /// From the next answer to COMMIT that is dropped on, passes on to the server how sessions open, and nothing else.
    public func holdAfterDroppedCommit() { state.withLock { $0.holdsAfterDrop = true } }

    /// The number of connections that were broken by chance.
    public var cuts: Int { state.withLock { $0.cuts } }

    /// Passes on what was kept from the server, and ends those connections.
    public func deliver() {
        state.withLock { state in
            for one in state.late {
                UnixStream.write(one.bytes, to: one.server)
                ProxyLink.endSending(one.server)
            }
            state.late = []
        }
    }

    /// Ends the proxy and its connections.
    public func stop() {
        deliver()
        let links = state.withLock { state in
            state.isStopped = true
            return Array(state.links.values)
        }
        UnixStream.shutDown(listener)
        for link in links { link.end() }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Connections

    private func serve() {
        while let client = UnixStream.accept(listener) {
            let isRefused = state.withLock { $0.isRefusing || $0.isStopped }
            guard !isRefused, let server = UnixStream.connect(to: upstream) else {
                UnixStream.close(client)
                continue
            }
            let link = state.withLock { state in
                state.numberOfLinks += 1
                let link = ProxyLink(number: state.numberOfLinks, client: client, server: server)
                state.links[link.number] = link
                return link
            }
            for direction in Direction.allCases {
                Thread.detachNewThread { [self] in
                    pump(link, direction)
                    guard link.isEnded() else { return }
                    state.withLock { state in
                        state.links[link.number] = nil
                        state.late.removeAll { $0.server == server }
                    }
                    link.close()
                }
            }
        }
        UnixStream.close(listener)
    }

    private func pump(_ link: ProxyLink, _ direction: Direction) {
        let (source, destination) =
            direction == .toServer ? (link.client, link.server) : (link.server, link.client)
        var reader = WireReader(source, isClient: direction == .toServer)
        while let message = reader.next() {
            waitWhileSilent(link)
            if direction == .toServer, !message.isFirst { waitWhileHolding() }
            switch passage(link, direction, message) {
            case .pass: UnixStream.write(message.bytes, to: destination)
            case .cut: return cut(link, direction, rest: message.bytes + reader.rest)
            case .cutWithin:
                UnixStream.write(Array(message.bytes.prefix(message.bytes.count / 2)), to: destination)
                return link.end()
            }
        }
        // The server's end outlives a client that was cut off.
        if direction == .toServer, state.withLock({ $0.late.contains { $0.server == link.server } }) {
            return
        }
        UnixStream.shutDown(destination)
    }

    private func waitWhileSilent(_ link: ProxyLink) {
        while state.withLock({ $0.isSilent && !$0.isStopped }) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func waitWhileHolding() {
        while state.withLock({ $0.isHolding && !$0.isStopped }) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func passage(_ link: ProxyLink, _ direction: Direction, _ message: WireMessage) -> Passage {
        state.withLock { state in
            guard !message.isFirst else { return .pass }
            if direction == .toClient, state.commitChance > 0, message.isEndOfCommit,
                state.draws(state.commitChance)
            {
                state.cuts += 1
                state.isHolding = state.holdsAfterDrop
                return .cut
            }
            if state.draws(state.chance) {
                state.cuts += 1
                return state.draws(2) ? .cut : .cutWithin
            }
            guard var plan = state.plan, !plan.hasCut else { return .pass }
            if plan.victim == nil, direction == .toServer { plan.victim = link.number }
            guard plan.victim == link.number else { return .pass }
            defer { state.plan = plan }
            guard plan.direction == direction else { return .pass }
            guard plan.passed == plan.message else {
                plan.passed += 1
                return .pass
            }
            plan.hasCut = true
            if plan.way == .clientOnly { state.late.append(Late(server: link.server, bytes: [])) }
            return .cut
        }
    }

    private func cut(_ link: ProxyLink, _ direction: Direction, rest: [UInt8]) {
        let isLate = state.withLock { state in
            guard let place = state.late.firstIndex(where: { $0.server == link.server }) else { return false }
            if direction == .toServer { state.late[place].bytes = rest }
            return true
        }
        if state.withLock({ $0.plan?.way == .answered && $0.plan?.victim == link.number }) {
            UnixStream.write(
                WireMessage.crashed.bytes + WireMessage("Z", Array("I".utf8)).bytes, to: link.client)
        }
        UnixStream.shutDown(link.client)
        guard isLate else { return UnixStream.shutDown(link.server) }
        // The server must not wait for somebody to read its answers.
        if direction == .toClient { while UnixStream.read(link.server, limit: 1 << 12) != nil {} }
    }
}
