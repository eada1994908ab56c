#if Full || Macros
/// Makes a struct a composite, which an entity's attribute holds as one value in a column per stored property.
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
/// The struct's properties are of attribute types, or composites again. It becomes `Hashable` and `Sendable` with
/// the conformance to ``CompositeValue``.
///
/// - Parameter name: the composite's name in the model, where it is not the struct's.
@attached(
    extension, conformances: CompositeValue,
    names: named(compositeDescription), named(_keyPaths), named(_columnCount), named(_zero), named(init),
    named(_elements))
@attached(member, names: arbitrary)
public macro Composite(_ name: String? = nil) =
    #externalMacro(module: "HowdahMacros", type: "CompositeMacro")
#endif
