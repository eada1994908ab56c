// expect: nothing
import Foundation
import Howdah

enum Geography {
    @Composite struct Spot {
        var latitude: Double
        var longitude: Double?
    }

    @Composite struct Stretch {
        @Composite struct Length {
            var metres: Double
        }

        var start: Spot
        var end: Spot?
        var length: Length
    }
}

@Entity final class Route: ManagedObject {
    var name: String
    var stretch: Geography.Stretch?

    convenience init(context: ManagedObjectContext, name: String) {
        self.init(context: context)
        self.name = name
    }
}
