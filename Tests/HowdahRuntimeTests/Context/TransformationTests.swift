import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What a program's `transformed()` and `init(transformed:)` do to the context that calls them.
@Suite struct TransformationTests {
    enum Release: CaseIterable { case rollback, reset }

    /// An overlapping access would end the process; `ExclusivityTests` has the control.
    @Test func anAttributeMayChangeObjectsWhileAnUndoRecords() async throws {
        try await Tinted.run { context, spy in
            let object = Tinted(context: context)
            try context.save()
            let undo = UndoStack()
            context.undoManager = undo
            spy.onEncoding = {
                object.number += 1
                _ = undo.canUndo
            }
            object.tint = Tint("red")
            #expect(object.number == 1 && object.tint.name == "red")
            spy.onEncoding = { object.number += 1 }
            context.refresh(object)
            #expect(object.number == 0 && object.tint.name == "")
        }
    }

    /// The objects that a reset lets go end while later rows look for theirs.
    @Test func aResetWhileRowsAreDecodedLeavesNothingBehind() async throws {
        try await Tinted.run { context, spy in
            try Tinted.store(40, in: context)
            for object in try context.fetch(Tinted.self) where object.number > 0 { object.number += 100 }
            var request = FetchRequest<Tinted>()
            request.sortDescriptors = [.ascending(\.number)]
            request.includesPendingChanges = false
            spy.onDecoding = { context.reset() }
            #expect(try context.fetch(request).map(\.number) == Array(0..<40))
            #expect(spy.onDecoding == nil)
            #expect(context.registeredObjects.allSatisfy { !$0.hasChanges })
            #expect(try context.fetch(request).map(\.number) == Array(0..<40))
        }
    }

    /// At whichever of its calls it happens, everything is stored first.
    @Test(arguments: Release.allCases, [0, 1])
    func whatLetsGoOfObjectsWaitsForTheEndOfTheSave(_ release: Release, levels: Int) async throws {
        var calls = 0
        for call in 1...20 {
            let wasCalled = try await Tinted.run { root, spy in
                var context = root
                for _ in 0..<levels { context = root.newChildContext() }
                for number in 0..<8 {
                    let object = Tinted(context: context)
                    (object.number, object.tint) = (number, Tint("tint \(number)"))
                }
                spy.delay = call
                spy.onEncoding = {
                    switch release {
                    case .rollback: context.rollback()
                    case .reset: context.reset()
                    }
                }
                try context.save()
                let wasCalled = spy.onEncoding == nil
                spy.onEncoding = nil
                #expect(!context.hasChanges)
                if wasCalled, release == .reset { #expect(context.registeredObjectCount == 0) }
                #expect(try context.fetch(Tinted.self).map(\.number).sorted() == Array(0..<8))
                if levels > 0 { try root.save() }
                root.reset()
                #expect(try root.fetch(Tinted.self).map(\.number).sorted() == Array(0..<8))
                return wasCalled
            }
            if !wasCalled { break }
            calls += 1
        }
        #expect(calls > 4)
    }

    /// Both saves would insert the same objects.
    @Test func aSaveWithinTheStagesOfASaveIsRefused() async throws {
        try await Tinted.run { context, spy in
            for number in 0..<3 { Tinted(context: context).number = number }
            let outcome = Outcome()
            spy.delay = 2
            spy.onEncoding = {
                do { try context.save() } catch { outcome.error = error as? FetchError }
            }
            try context.save()
            #expect(outcome.error?.code == .invalidRequest)
            #expect(try context.fetch(Tinted.self).map(\.number).sorted() == [0, 1, 2])
            context.reset()
            #expect(try context.fetch(Tinted.self).map(\.number).sorted() == [0, 1, 2])
        }
    }

    /// The parent has all of a push, or nothing.
    @Test(arguments: Release.allCases) func aParentThatIsLetGoOfTakesThePushFirst(_ release: Release)
        async throws
    {
        var calls = 0
        for call in 1...30 {
            let wasCalled = try await Tinted.run { root, spy in
                let child = root.newChildContext()
                for number in 0..<4 {
                    let object = Tinted(context: child)
                    (object.number, object.tint) = (number, Tint("tint \(number)"))
                }
                spy.delay = call
                spy.onEncoding = {
                    switch release {
                    case .rollback: root.rollback()
                    case .reset: root.reset()
                    }
                }
                let isSaved = (try? child.save()) != nil
                let wasCalled = spy.onEncoding == nil
                spy.onEncoding = nil
                let count = root.insertedObjects.count
                #expect(isSaved && (wasCalled ? count == 0 || count == 4 : count == 4), "call \(call)")
                return wasCalled
            }
            if !wasCalled { break }
            calls += 1
        }
        #expect(calls > 4)
    }

    /// A value that its type refuses while a child takes it fails the child, as it fails a fetch.
    @Test func aValueThatAChildCannotTakeFailsIt() async throws {
        let error = await #expect(throws: FetchError.self) {
            try await Tinted.run { root, spy in
                try Tinted.store(1, in: root)
                let all = try root.fetch(Tinted.self)
                #expect(all.count == 1)
                let child = root.newChildContext()
                spy.refuses = true
                let taken = try child.fetch(Tinted.self)
                #expect(child.failure is FetchError && taken.count == 1)
                try child.save()
            }
        }
        #expect(error?.code == .invalidValue)
    }

    /// What an undo kept alive ends with a rollback, and its `deinit` uses the context.
    @Test(arguments: Release.allCases) func aDeinitWithinARollbackMayUseTheUndo(_ release: Release)
        async throws
    {
        try await Tinted.run { context, spy in
            try Tinted.store(1, in: context)
            let undo = UndoStack()
            context.undoManager = undo
            var object: Tinted? = try context.fetch(Tinted.self).first
            object?.number = 1
            context.processPendingChanges()
            object = nil
            var wasCalled = false
            spy.onEnd = {
                wasCalled = true
                _ = undo.canUndo
                switch release {
                case .rollback: undo.removeAllActions()
                case .reset: context.reset()
                }
            }
            context.rollback()
            #expect(wasCalled && !context.hasChanges && !undo.canUndo)
        }
    }

    /// A rollback while values are decoded under unsaved changes waits until these are back.
    @Test(arguments: Release.allCases) func aReleaseWhileChangedRowsAreDecodedWaits(_ release: Release)
        async throws
    {
        try await Tinted.run { context, spy in
            try Tinted.store(3, in: context)
            let objects = try context.fetch(Tinted.self, sortedBy: .ascending(\.number))
            for object in objects { object.number += 10 }
            spy.onDecoding = {
                switch release {
                case .rollback: context.rollback()
                case .reset: context.reset()
                }
                #expect(throws: FetchError.self) { try context.save() }
            }
            try context.refreshAllObjects()
            #expect(spy.onDecoding == nil && !context.hasChanges)
            #expect(try context.fetch(Tinted.self).map(\.number).sorted() == [0, 1, 2])
        }
    }

    /// A save that fails keeps the changes, which are let go of then.
    @Test(arguments: Release.allCases)
    func aFailedSaveIsFollowedByTheRelease(_ release: Release) async throws {
        try await Tinted.run { context, spy in
            for number in [1, -1] { Tinted(context: context).number = number }
            spy.onEncoding = {
                switch release {
                case .rollback: context.rollback()
                case .reset: context.reset()
                }
                // Objects are there until the save has ended.
                #expect(context.insertedObjects.count == 2)
            }
            try context.withConnection { _ = try $0.query("ALTER TABLE tinted ADD CHECK (number > 0)") }
            #expect(throws: SaveError.self) { try context.save() }
            #expect(spy.onEncoding == nil && !context.hasChanges && context.registeredObjectCount == 0)
        }
    }
}

private struct Refusal: Error {}

private final class Outcome {
    var error: FetchError?
}

/// Calls back once, from the transformations of the present task.
private final class TintSpy: @unchecked Sendable {
    @TaskLocal static var current: TintSpy?

    var onEncoding: (() -> Void)?
    var onDecoding: (() -> Void)?
    var onEnd: (() -> Void)?
    /// Whether values cannot be decoded.
    var refuses = false
    /// The number of encodings until the call.
    var delay = 1

    func call(_ keyPath: ReferenceWritableKeyPath<TintSpy, (() -> Void)?>) {
        guard let body = self[keyPath: keyPath] else { return }
        if keyPath == \.onEncoding {
            delay -= 1
            if delay > 0 { return }
        }
        self[keyPath: keyPath] = nil
        body()
    }
}

private struct Tint: AttributeTransformable {
    var name = ""

    init() {}

    init(_ name: String) { self.name = name }

    init(transformed data: Data) throws {
        name = String(decoding: data, as: UTF8.self)
        if TintSpy.current?.refuses == true { throw Refusal() }
        TintSpy.current?.call(\.onDecoding)
    }

    func transformed() throws -> Data {
        TintSpy.current?.call(\.onEncoding)
        return Data(name.utf8)
    }
}

@Entity private final class Tinted: ManagedObject {
    var number: Int = 0
    var tint: Tint = Tint()

    deinit { TintSpy.current?.call(\.onEnd) }
}

extension Tinted {
    /// Runs `body` in a new store.
    @discardableResult
    fileprivate static func run<T: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext, TintSpy) throws -> T
    ) async throws -> T {
        try await withTestStore(ManagedObjectModel(Tinted.self)) { container in
            let spy = TintSpy()
            return try await TintSpy.$current.withValue(spy) {
                try await container.perform { try body($0, spy) }
            }
        }
    }

    fileprivate static func store(_ count: Int, in context: ManagedObjectContext) throws {
        for number in 0..<count {
            let object = Tinted(context: context)
            (object.number, object.tint) = (number, Tint("tint \(number)"))
        }
        try context.save()
        context.reset()
    }
}
