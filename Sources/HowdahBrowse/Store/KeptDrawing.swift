import HowdahDiagram
import HowdahModel
import Synchronization

/// The drawing of a model, made when the first page needs it.
final class KeptDrawing: Sendable {
    private let model: ManagedObjectModel
    private let kept = Mutex<(svg: String, areas: [EntityArea])?>(nil)

    init(_ model: ManagedObjectModel) { self.model = model }

    var value: (svg: String, areas: [EntityArea]) {
        kept.withLock { kept in
            if let kept { return kept }
            let drawing = ModelDiagram(model).drawing
            kept = drawing
            return drawing
        }
    }
}
