#if Full || Server || Browser || All || Macros
/// Makes a struct a composite, which an entity's attribute holds as one value with a column per stored
/// property.
///
/// ```swift
/// @Composite struct Location {
///     var latitude: Double
///     var longitude: Double
/// }
/// @Entity final class Office: ManagedObject {
///     var location: Location?     // columns location_latitude, location_longitude
/// }
/// ```
/// The struct's properties have attribute types, or are composites themselves. It becomes `Hashable` and
/// `Sendable` with the conformance to ``CompositeValue``.
///
/// - Parameter name: The composite's name in the model, if it is not the struct's.
@attached(
    extension, conformances: CompositeValue,
    names: named(compositeDescription), named(_keyPaths), named(_columnCount), named(_zero), named(init),
    named(_elements))
@attached(member, names: arbitrary)
public macro Composite(_ name: String? = nil) =
    #externalMacro(module: "HowdahMacros", type: "CompositeMacro")
#endif
