import Foundation
import Howdah
import HowdahTesting

/// A type of a program that stores itself by bytes of its own.
struct Colour: AttributeTransformable {
    static let valueTransformerName = "ColourTransformer"

    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var red = 0
    var green = 0

    init() {}
    init(_ red: Int, _ green: Int) { (self.red, self.green) = (red, green) }

    init(transformed data: Data) throws {
        guard data.count == 2 else { throw Refusal(description: "not two bytes") }
        (red, green) = (Int(data[data.startIndex]), Int(data[data.startIndex + 1]))
    }

    func transformed() throws -> Data {
        guard let red = UInt8(exactly: red), let green = UInt8(exactly: green) else {
            throw Refusal(description: "no colour")
        }
        return Data([red, green])
    }
}

@Composite struct Frame {
    var width: Int
    var colour: Colour?
}

@Entity final class Picture: ManagedObject {
    var title: String
    var ground: Colour = Colour()
    var ink: Colour?
    var frame: Frame?
}

/// Pictures as a program has them that knows the model only.
enum Pictures {
    static func model(className: String? = nil) throws -> ManagedObjectModel {
        var model = try ManagedObjectModel(Picture.self)
        if className == nil {
            model = try ManagedObjectModel(
                entities: model.entities.map { entity in
                    var entity = entity
                    entity.className = nil
                    return entity
                })
        }
        return model
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        options.valueTransformers = [AttributeTransformer(Colour.self)]
        return options
    }
}
