extension ManagedObjectContext {
    /// Has partial objects read what they hold anew: rows were written that may be theirs.
    func forgetParts() {
        guard hasParts else { return }
        hasParts = false
        for object in identityMaps.all { object.forgetPart() }
    }
}
