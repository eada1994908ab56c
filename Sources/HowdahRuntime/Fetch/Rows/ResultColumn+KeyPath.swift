public import HowdahModel

/// Columns by key path. Longer paths than one property are given by name.
extension ResultColumn where Object: ManagedObject {
    /// A property under its name in the model, or another.
    public static func property<Value>(_ property: KeyPath<Object, Value>, as name: String? = nil)
        -> ResultColumn
    {
        ResultColumn(property, as: name)
    }

    /// How many values of a property a group has, as `Int64`.
    public static func count<Value>(_ property: KeyPath<Object, Value>, as name: String) -> ResultColumn {
        ResultColumn(property, as: name, .count)
    }

    /// The sum of a number: `Int64` of integers (`Decimal` where that is too small), `Decimal` of decimals, else `Double`.
    public static func sum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .sum) }

    /// The mean of a number: `Decimal` of integers and decimals, else `Double`.
    public static func average<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .avg) }

    /// The smallest number, string or date.
    public static func minimum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .min) }

    /// The greatest number, string or date.
    public static func maximum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .max) }

    private init(_ keyPath: AnyKeyPath, as name: String?, _ aggregate: Aggregate? = nil) {
        if let found = PropertyNames.name(of: keyPath) {
            self.init(found, as: name ?? found, aggregate)
        } else {
            self.init("", as: name ?? "", aggregate, complaint: PropertyNames.complaint(about: keyPath))
        }
    }
}
