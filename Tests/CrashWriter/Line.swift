import Foundation
import Howdah

/// What bulk work is done with.
@Entity final class Line: ManagedObject {
    @Attribute(.unique) var number: Int = 0
    var text: String = ""
}
