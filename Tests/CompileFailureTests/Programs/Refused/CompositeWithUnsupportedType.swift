// expect: this type cannot be stored
import Howdah

@Composite struct Span {
    var hours: Range<Int>
}
