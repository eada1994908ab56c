extension Int {
    /// The number with what is counted, in the singular for one.
    func counted(_ one: String, _ several: String) -> String { "\(self) \(self == 1 ? one : several)" }
}
