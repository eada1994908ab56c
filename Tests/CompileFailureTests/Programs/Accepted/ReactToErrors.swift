// expect: nothing
import Howdah

func program(_ container: PersistentContainer) async throws -> Bool {
    do {
        try await container.perform(isolation: .repeatableRead) { try $0.save() }
        return true
    } catch let error as SaveError where error.code == .conflict {
        return error.conflicts.contains { $0.isDeleted }
    } catch let error as FetchError where error.databaseError?.code == .connectionLost {
        return error.databaseError?.sqlState == SQLState.adminShutdown
    }
}

func slowest(_ container: PersistentContainer) -> Duration {
    container.statementLog.statements.map(\.duration).max() ?? .zero
}
