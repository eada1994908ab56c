import Foundation
import HTTPTypes
import Howdah
import HowdahBrowse
import HowdahBrowseServer
import Hummingbird

/// The pages of the store at `/admin`, for administrators.
///
/// A browser sends no bearer token, so the form of the pages exchanges the password for a cookie with the same token.
struct AdminRoutes {
    let login: LoginRoutes
    /// The logins of the administrators.
    let administrators: Set<String>

    func add(to router: Router<AppContext>) {
        router.post("admin/login", use: logIn)
        let site = BrowseSite(login.container, at: "/admin") { _ in .read }
        let gate = AdministratorsOnly(login: login, administrators: administrators)
        site.addRoutes(to: router.group("admin").add(middleware: gate))
    }

    @Sendable private func logIn(_ request: Request, _ context: AppContext) async throws -> Response {
        let form: LoginRoutes.Login
        do {
            form = try await URLEncodedFormDecoder().decode(
                LoginRoutes.Login.self, from: request, context: context)
        } catch let error where !(error is any HTTPResponseError) {
            return LoginForm(status: .badRequest, message: "The form is not complete. Fill it in again.")
                .response
        }
        guard let principal = try await login.principal(form) else {
            return LoginForm(status: .unauthorized, message: "The login or the password is wrong.").response
        }
        guard administrators.contains(form.login) else {
            return LoginForm(status: .forbidden, message: "Only administrators may read the store.").response
        }
        return Response(
            status: .seeOther,
            headers: [
                .location: "/admin/",
                .setCookie: AdminCookie.field(
                    try await login.tokens.token(for: principal), isSecure: request.isSecure),
            ])
    }
}

/// Lets only administrators pass: 401 with a login form without a valid cookie, 403 for other users.
private struct AdministratorsOnly: RouterMiddleware {
    let login: LoginRoutes
    let administrators: Set<String>

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let cookie = AdminCookie.token(in: request.headers),
            let token = try? await login.tokens.verify(cookie),
            let user = login.container.objectID(User.self, pathComponent: token.sub.value)
        else { return LoginForm(status: .unauthorized, message: nil).response }
        // A user who was deleted has a valid token until it expires.
        let name = try await login.container.perform { context in
            try context.fetch(User.self, where: #Predicate { $0.objectID == user }).first?.login
        }
        guard let name, administrators.contains(name) else {
            return LoginForm(status: .forbidden, message: "Only administrators may read the store.").response
        }
        return try await next(request, context)
    }
}
