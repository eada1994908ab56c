import Foundation
import Hummingbird
import JWTKit

/// The tokens that the tracker signs.
struct Tokens: Sendable {
    struct Payload: JWTPayload {
        let sub: SubjectClaim
        let team: String
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    private let keys = JWTKeyCollection()

    init(secret: String) async { await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256) }

    /// Returns the team of the user who sent the request.
    func team(_ request: Request) async throws -> Int64 {
        guard let header = request.headers[.authorization], header.hasPrefix("Bearer "),
            let token = try? await keys.verify(String(header.dropFirst(7)), as: Payload.self),
            let team = Self.key(token.team, of: "Team"), Self.key(token.sub.value, of: "User") != nil
        else { throw HTTPError(.unauthorized) }
        return team
    }

    /// Reads the key of an id as the tracker writes it: `Issue-p17`.
    static func key(_ id: String, of entity: String) -> Int64? {
        id.hasPrefix(entity + "-p") ? Int64(id.dropFirst(entity.count + 2)) : nil
    }
}
