import Foundation
import Howdah
import JWTKit

/// The tokens of logins.
struct Tokens: Sendable {
    struct Payload: JWTPayload {
        let sub: SubjectClaim
        let team: String
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    private let keys = JWTKeyCollection()

    init(secret: String) async throws {
        guard secret.utf8.count >= 32 else {
            throw ConfigurationError("TRACKER_SECRET is too short. Set it to 32 random characters or more.")
        }
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    }

    func token(for principal: Principal) async throws -> String {
        try await keys.sign(
            Payload(
                sub: SubjectClaim(value: principal.user.pathComponent), team: principal.team.pathComponent,
                exp: ExpirationClaim(value: Date(timeIntervalSinceNow: 8 * 3_600))))
    }

    func verify(_ token: String) async throws -> Payload { try await keys.verify(token, as: Payload.self) }
}
