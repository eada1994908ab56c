/// One fetched property of a class, with its name and the class of what it finds.
struct FetchedPlan {
    /// The property's name in the model.
    let key: String
    /// The identifier in code, without backticks.
    let name: String
    let destination: String
}
