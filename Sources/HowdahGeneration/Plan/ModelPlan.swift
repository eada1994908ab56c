internal import HowdahModel

/// Everything that generated code consists of, with all names settled.
struct ModelPlan {
    let model: ManagedObjectModel
    /// The model's name as it was given.
    let title: String
    /// The name of the property that is the model.
    let name: String
    /// The name of the file that it is in.
    let fileName: String
    /// In the order of the model.
    let classes: [ClassPlan]
    /// In the order in which attributes come to them.
    let composites: [CompositePlan]
}
