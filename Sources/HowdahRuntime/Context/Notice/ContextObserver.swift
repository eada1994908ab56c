/// An object that hears the notices of a context when they are sent, before the call that caused them returns.
///
/// It runs in the isolation of the context. It may fetch, and change objects.
protocol ContextObserver: AnyObject {
    /// Hears a notice.
    ///
    /// - Parameters:
    ///   - notice: The notice.
    ///   - context: The context that sent it.
    func hear(_ notice: ContextNotice, in context: ManagedObjectContext)

    /// Hears that anything in the store may have changed, and that the context's objects follow it.
    func hearOfEverything(in context: ManagedObjectContext)
}

extension ContextNotice {
    /// The changes of objects that the notice reports; nil if it reports none.
    var change: ContextChange? {
        switch self {
        case .didChange(let change), .didMerge(let change): change
        case .willSave, .didSave, .didReset: nil
        }
    }
}
