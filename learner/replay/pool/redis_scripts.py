"""What Redis runs for a pool, each script as a whole: nothing else happens meanwhile, and all of it or nothing is done.

redis_pool.py says what lies under the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# What the user of actors may do.  A script may do no more than its user, in each version of Redis, so the commands
# inside ADD are among them.  Outside the script they are of no use: the user may apply them to the pool's keys alone,
# whose names hold a secret, and is told only the digests of its scripts.  It can neither load a script nor bring one.
WRITER_COMMANDS: Final = ("-@all", "+evalsha", "+hget", "+hmget", "+hset", "+xadd", "+xdel", "+xrange")

NOT_OURS: Final = "it does not hold the games of this run"
QUARANTINE_ENTRIES: Final = 100
_SEQUENCE_DIGITS: Final = 15  # exact in the floating point numbers of scripts
EXCERPT_BYTES: Final = 1000  # of an entry that is too large

# Keys: games, counters, actors.  Arguments: actor, sequence number, positions, blob, positions to keep, the run's
# identity or nothing.
# It first drops the oldest entries as long as `oldest` is below `bound`, so that a full server has room for the game:
# a full one refuses the first write of a script if that is to add, and none after one that deletes.
ADD: Final = """
local counters = redis.call('HMGET', KEYS[2], 'games', 'positions', 'oldest', 'entries', 'run')
if ARGV[6] ~= '' and counters[5] ~= ARGV[6] then return redis.error_reply('ERR {not ours}') end
local last = redis.call('HGET', KEYS[3], ARGV[1])
if last and tonumber(ARGV[2]) <= tonumber(last) then return 0 end
local games = tonumber(counters[1] or 0) + 1
local before = tonumber(counters[2] or 0)
local total = before + tonumber(ARGV[3])
local oldest = tonumber(counters[3] or 0)
local entries = tonumber(counters[4] or 0)
local bound = math.min(total - tonumber(ARGV[5]), before)
while oldest < bound do
  local found = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 2)
  if #found == 0 then break end
  redis.call('XDEL', KEYS[1], found[1][1])
  if found[1][2][3] == 'b' then entries = entries - 1 end
  if #found == 1 then
    oldest = before
  else
    oldest = found[2][2][3] == 'b' and tonumber(found[2][2][4]) or oldest
  end
  redis.call('HSET', KEYS[2], 'oldest', oldest, 'entries', entries)
end
redis.call('XADD', KEYS[1], '*', 'n', games, 'b', before, 'g', ARGV[4])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 'games', games, 'positions', total, 'entries', entries + 1)
return 1
""".replace("{not ours}", NOT_OURS)

# Keys: games, counters, actors.  Argument: the run's identity.  Positions and samples.
ROOM: Final = """
local counters = redis.call('HMGET', KEYS[2], 'positions', 'sampled', 'run')
if counters[3] ~= ARGV[1] then return redis.error_reply('ERR {not ours}') end
return {tonumber(counters[1] or 0), tonumber(counters[2] or 0)}
""".replace("{not ours}", NOT_OURS)

# Keys: games, counters.  Arguments: the run's identity, then, unless what is there counts, games, positions, sampled,
# quarantined, lost, entries: they are put where there is no identity.  How many games are gone since, then the same
# six numbers.  A full server refuses no script that has deleted something, be it nothing.
LOOK: Final = """
redis.call('HDEL', KEYS[2], '')
local there = redis.call('XLEN', KEYS[1])
local run = redis.call('HGET', KEYS[2], 'run')
if run and run ~= ARGV[1] then return redis.error_reply('ERR {not ours}') end
if not run then
  redis.call('HSET', KEYS[2], 'run', ARGV[1])
  if #ARGV == 1 then
    redis.call('HSET', KEYS[2], 'entries', there)
  else
    local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
    local oldest = first and first[2][3] == 'b' and first[2][4] or ARGV[3]
    redis.call('HSET', KEYS[2], 'games', ARGV[2], 'positions', ARGV[3], 'sampled', ARGV[4], 'quarantined', ARGV[5],
      'lost', ARGV[6], 'entries', ARGV[7], 'oldest', oldest)
  end
end
local gone = math.max(0, tonumber(redis.call('HGET', KEYS[2], 'entries') or 0) - there)
if gone > 0 then
  redis.call('HINCRBY', KEYS[2], 'lost', gone)
  redis.call('HSET', KEYS[2], 'entries', there)
end
local found = {gone}
for _, name in ipairs({'games', 'positions', 'sampled', 'quarantined', 'lost', 'entries'}) do
  found[#found + 1] = tonumber(redis.call('HGET', KEYS[2], name) or 0)
end
return found
""".replace("{not ours}", NOT_OURS)

# Keys: games.  Arguments: XRANGE or XREVRANGE, where it begins and ends, most entries, most bytes of one, most of all.
# For each entry its name, its size and its fields; of one that is too large only how it begins.
READ: Final = """
local from, found, total = ARGV[2], {}, 0
while #found < tonumber(ARGV[4]) and total < tonumber(ARGV[6]) do
  local entry = redis.call(ARGV[1], KEYS[1], from, ARGV[3], 'COUNT', 1)[1]
  if not entry then break end
  local size, fields = 0, entry[2]
  for _, part in ipairs(fields) do size = size + #part end
  if size > tonumber(ARGV[5]) then
    local excerpt = ''
    for _, part in ipairs(fields) do
      excerpt = excerpt .. string.sub(part, 1, {excerpt} - #excerpt)
      if #excerpt == {excerpt} then break end
    end
    fields = {'start', excerpt}
  end
  found[#found + 1] = {entry[1], size, fields}
  total = total + size
  from = '(' .. entry[1]
end
return found
""".replace("{excerpt}", str(EXCERPT_BYTES))

# Keys: quarantine, counters.  Arguments: name of the entry, reason, content.  An entry that is already
# there, or older than one that is, has been counted: its name is not above the last one.
QUARANTINE: Final = """
local name = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', {entries}, ARGV[1], 'reason', ARGV[2], 'content', ARGV[3])
if type(name) == 'table' then return 0 end
redis.call('HINCRBY', KEYS[2], 'quarantined', 1)
return 1
""".replace("{entries}", str(QUARANTINE_ENTRIES))


def sealed_add(
    keys: Sequence[str], *, longest_name: int, most_positions: int, longest_blob: int, keep: int, run: str
) -> str:
    """Return ADD for actors: it takes the first four arguments, checks them, and holds keys and limits itself.

    An actor that chose the limits could drop all games.  Names stay in Redis, so long ones would fill it for good.
    Lengths are in bytes.
    """
    head = f"""
if #ARGV[1] > {longest_name} then return redis.error_reply('ERR no name') end
if #ARGV[4] > {longest_blob} then return redis.error_reply('ERR no game') end
if not string.find(ARGV[2], '^%d+$') or #ARGV[2] > {_SEQUENCE_DIGITS} then return redis.error_reply('ERR no number') end
if not string.find(ARGV[3], '^%d+$') or tonumber(ARGV[3]) > {most_positions} then
  return redis.error_reply('ERR no number of positions')
end
local ARGV = {{ARGV[1], ARGV[2], ARGV[3], ARGV[4], {keep}, '{run}'}}"""
    return f"{head}{_with_keys(keys)}{ADD}"


def sealed_room(keys: Sequence[str], *, run: str) -> str:
    """Return ROOM for actors, without arguments."""
    return f"local ARGV = {{'{run}'}}{_with_keys(keys)}{ROOM}"


def _with_keys(keys: Sequence[str]) -> str:
    return "\nlocal KEYS = {" + ", ".join(f"'{_quoted(key)}'" for key in keys) + "}\n"


def _quoted(text: str) -> str:
    """The text between quotes in Lua: the name of a run may hold any character."""
    return "".join(f"\\{byte:03}" if chr(byte) in "\\'\n\r" or byte > 126 else chr(byte) for byte in text.encode())
