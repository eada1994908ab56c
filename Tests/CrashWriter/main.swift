import Foundation
import Howdah
import StagedModels

/// A process of its own: it imports, or only opens a store, to be killed or raced by the crash tests; or it changes
/// objects as it is told.
///
/// Arguments: the database's URL, how many batches there are to be in the store in the end, and "tokens" where saves are
/// to leave them; or the URL, "peer" and the model; or the URL and "asker"; or
/// the URL, "crew" and a seed; or the URL, "chronicler", its role, a seed and a number of saves; or the URL, "bulk", what to do and with how many rows; or the URL, "migrator" or "deferrer",
/// and the number of the statement with which it dies, of a migrator the way as well; or the URL, "guest" or
/// "gardener" and the model; or the URL, "tenant" and the schema; or the URL, "editor" and a seed.
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[2] == "peer" {
    try await Peer(url: arguments[1], model: ManagedObjectModel(canonicalJSON: arguments[3])).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "gardener" {
    try await Gardener(url: arguments[1], model: ManagedObjectModel(canonicalJSON: arguments[3])).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "guest" {
    try await Guest(url: arguments[1], model: ManagedObjectModel(canonicalJSON: arguments[3])).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "tenant" {
    try await Tenant(url: arguments[1], schemaName: arguments[3]).run()
    exit(0)
}
if arguments.count == 5, arguments[2] == "bulk", let rows = Int(arguments[4]) {
    try await Bulk(url: arguments[1], kind: arguments[3], rows: rows).run()
    exit(0)
}
if arguments.count == 6, arguments[2] == "chronicler", let seed = UInt64(arguments[4]),
    let count = Int(arguments[5])
{
    try await Chronicler(url: arguments[1], role: arguments[3], seed: seed, count: count).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "crew", let seed = UInt64(arguments[3]) {
    try await Crew(url: arguments[1], seed: seed).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "editor", let seed = UInt64(arguments[3]) {
    try await Editor(url: arguments[1], seed: seed).run()
    exit(0)
}
if arguments.count == 3, arguments[2] == "asker" {
    try await Asker(url: arguments[1]).run()
    exit(0)
}
if arguments.count == 5, arguments[2] == "migrator", let count = Int(arguments[3]),
    let way = Logbook.Way(rawValue: arguments[4])
{
    try await Migrator(url: arguments[1], lastStatement: count, way: way).run()
    exit(0)
}
if arguments.count == 4, arguments[2] == "deferrer", let count = Int(arguments[3]) {
    try await Deferrer(url: arguments[1], lastStatement: count).run()
    exit(0)
}
guard (3...4).contains(arguments.count), let batches = Int(arguments[2]) else {
    print("usage: CrashWriter url batches [tokens]")
    throw CancellationError()
}

let batch = EntityDescription(
    "Batch",
    properties: [
        .attribute("number", .integer64, optional: false),
        .relationship("items", to: "Item", inverse: "batch", toMany: true, deleteRule: .cascade),
    ],
    uniquenessConstraints: [["number"]])
let item = EntityDescription(
    "Item",
    properties: [
        .attribute("name", .string, optional: false),
        .relationship("batch", to: "Batch", inverse: "items", optional: false),
        .relationship("tags", to: "Tag", inverse: "items", toMany: true),
    ],
    uniquenessConstraints: [["name"]])
let tag = EntityDescription(
    "Tag",
    properties: [
        .attribute("name", .string, optional: false),
        .relationship("items", to: "Item", inverse: "tags", toMany: true),
    ])

var options = StoreOptions()
options.resolvesLostCommits = arguments.last == "tokens"
let container = try await PersistentContainer.open(
    arguments[1], model: try ManagedObjectModel(entities: [batch, item, tag]), options: options)
print("open \(container.storeIdentifier)")

let done = try await container.perform { context in
    try context.count(for: FetchRequest<ManagedObject>(entityName: "Batch"))
}
for number in done..<max(done, batches) {
    try await container.perform { context in
        let batch = context.insert("Batch")
        batch["number"] = number
        let tag = context.insert("Tag")
        tag["name"] = "of \(number)"
        // Few for arrays, many for COPY: both are cut in the middle now and then.
        for index in 0..<(number.isMultiple(of: 2) ? 200 : 20) {
            let item = context.insert("Item")
            item["name"] = "\(number)/\(index)"
            item["batch"] = batch
            item.members(forKey: "tags").insert(tag)
        }
        try context.save()
    }
}
await container.close()
print("done")
