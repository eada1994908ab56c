import Foundation
import LocalPostgres

// Plays the owner of a cluster: starts one in the folder named by the argument, prints where it is, and ends in
// the way the next line of its input asks for. The tests kill it.
let parent = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let cluster: LocalCluster
do {
    cluster = try LocalCluster.start(in: parent)
} catch {
    print("failed \(error)")
    exit(1)
}
print(cluster.directory.path(percentEncoded: false))
print(cluster.serverProcessID ?? 0)
fflush(nil)
switch readLine() {
case "stop": cluster.stop()
case "exit": exit(0)
default: break
}
