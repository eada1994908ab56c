import Howdah
import Hummingbird

/// The context of a request: who sent it.
struct AppContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Closes the connection at once, also while a write to it waits.
    let disconnect: @Sendable () -> Void
    private var principal: Principal?

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        disconnect = { [channel = source.channel] in channel.close(promise: nil) }
    }

    /// The user who sent the request. Routes behind `PrincipalMiddleware` have one.
    var user: Principal {
        get throws {
            guard let principal else { throw ProblemDetails.unauthorized }
            return principal
        }
    }

    mutating func signIn(_ principal: Principal) { self.principal = principal }

    /// A parameter of the path, percent-decoded.
    func text(_ name: String) throws -> String {
        let part = try parameters.require(name)
        guard part.utf8.contains(UInt8(ascii: "%")) else { return part }
        guard let text = part.removingPercentEncoding else {
            throw ProblemDetails(400, "invalidPath", "A part of the path is not UTF-8. Encode it again.")
        }
        return text
    }
}
