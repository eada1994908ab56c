import Howdah
import Hummingbird

/// The answers for the balancer and the supervisor.
struct HealthRoutes {
    let container: PersistentContainer
    let draining: Draining

    func add(to router: Router<AppContext>) {
        // The process: it must not depend on the database, whose failure no restart of the server mends.
        router.get("livez") { _, _ in "alive\n" }
        router.get("readyz") { _, context in
            if draining.isDraining { return Response(status: .serviceUnavailable) }
            let readiness = await container.ready(within: .seconds(1))
            if !readiness.isReady { context.logger.notice("not ready: \(readiness)") }
            return Response(status: readiness.isReady ? .ok : .serviceUnavailable)
        }
    }
}
