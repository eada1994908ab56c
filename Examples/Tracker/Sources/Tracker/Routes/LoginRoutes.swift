import Foundation
import Howdah
import Hummingbird

/// `POST /login` exchanges a password for a token.
struct LoginRoutes {
    let container: PersistentContainer
    let tokens: Tokens
    private let passwords = Passwords()

    init(container: PersistentContainer, tokens: Tokens) {
        self.container = container
        self.tokens = tokens
    }

    struct Login: Decodable {
        let login: String
        let password: String
    }

    struct Answer: Encodable {
        let token: String
    }

    func add(to router: Router<AppContext>) { router.post("login", use: logIn) }

    @Sendable private func logIn(_ request: Request, _ context: AppContext) async throws -> Response {
        guard let principal = try await principal(request.document(Login.self)) else {
            throw ProblemDetails(401, "wrongPassword", "The login or the password is wrong. Correct it.")
        }
        return try .json(Answer(token: await tokens.token(for: principal)))
    }

    /// Returns the user who has the login and the password; nil if there is none.
    func principal(_ body: Login) async throws -> Principal? {
        let found = try await container.perform { context -> (Principal, Data)? in
            let name = body.login
            guard let user = try context.fetch(User.self, where: #Predicate { $0.login == name }).first,
                let team = user.team
            else { return nil }
            return (Principal(user: user.objectID.typed(), team: team.objectID.typed()), user.password)
        }
        return try await passwords.matches(body.password, found?.1) ? found?.0 : nil
    }
}
