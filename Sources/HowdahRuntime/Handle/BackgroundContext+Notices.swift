extension BackgroundContext {
    /// What happens in the handle's context, from its next `perform` on; see ``ContextNotice``.
    ///
    /// A run of `perform` that is under way tells its saves, and its other changes only where somebody listened when it
    /// began.
    public var notices: Notices<ContextNotice> { board.listen() }
}
