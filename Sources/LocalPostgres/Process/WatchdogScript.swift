/// The program of the watchdog: `sh` runs it between us and the server.
///
/// Arguments: the folder, the superuser's name, the folder of the binaries, the server to copy (empty for
/// none), `standby` for a standby, then the words that run a command as the server's account. Standard input is
/// the line to the owner, descriptor 3 the folder's lock, which the server inherits.
///
/// The server is the watchdog's child and not ours, so that there is no moment at which a killed owner leaves
/// a server nobody looks after; this holds for `initdb` too. Two processes share the work: the listener
/// turns lines (and the end of the line) into signals, the main one waits for the server, reports its end,
/// starts it again if the owner says so, and deletes the folder when the owner closes the line. Hang-ups and
/// interrupts are for the owner to answer; the watchdog outlives them.
enum WatchdogScript {
    static let text = """
        folder=$1 user=$2 binaries=$3 source=$4 role=$5
        shift 5
        trap '' HUP INT TERM PIPE
        cd /
        exec 4<&0 0</dev/null

        clear() {
            rm -rf "$folder/data" && rm -rf "$folder"
        }

        make() {
            if [ -z "$source" ]; then
                "$@" "$binaries/initdb" --pgdata="$folder/data" --username="$user" --auth=trust \\
                    --encoding=UTF8 --locale=C --no-sync 4<&-
                return
            fi
            "$@" "$binaries/pg_basebackup" --pgdata="$folder/data" --dbname="$source" --checkpoint=fast \\
                --wal-method=stream --no-sync 4<&- || return
            [ "$role" != standby ] || "$@" touch "$folder/data/standby.signal" 4<&-
        }

        # Reports the end. Returns if the server shall start again, and ends with the line.
        report() {
            echo "ended $1" >&4
            while read -r line <&4; do
                [ "$line" != start ] || return 0
            done
            clear
            exit "$1"
        }

        # An owner that has let go needs no orderly end. Repeated, as a server that was forked
        # a moment ago still ignores signals.
        abandon() {
            tries=0
            while kill -s 0 "$server"; do
                if [ "$tries" -lt 100 ]; then kill -s QUIT "$server"; else kill -s KILL "$server"; fi
                tries=$((tries + 1))
                sleep 0.1
            done 2>/dev/null
            clear
        }

        listen() {
            while read -r mode <&4; do
                case $mode in
                    smart) kill -s TERM "$server" ;;
                    fast) kill -s INT "$server" ;;
                    immediate) kill -s QUIT "$server" ;;
                    kill) kill -s KILL "$server" ;;
                esac
            done
            abandon
        }

        until make "$@"; do report 1; done
        while :; do
            "$@" "$binaries/postgres" -D "$folder/data" -c config_file="$folder/server.conf" 4<&- &
            server=$!
            listen &
            listener=$!
            wait "$server"
            status=$?
            # It must be gone before the next line is read.
            kill -s KILL "$listener"
            wait "$listener"
            report "$status"
        done
        """
}
