"""What Redis runs for a pool, each script as a whole: nothing else happens meanwhile, and all of it or nothing is done.

redis_pool.py says what lies under the keys.
"""

from __future__ import annotations

from typing import Final

# What a user of Redis needs who stores games, beside the keys of redis_pool.py; before Redis 7 and since, a script may
# do no more than its user.  Such a user runs scripts that are loaded, and neither loads nor brings any.
WRITER_COMMANDS: Final = "-@all +evalsha +hget +hmget +hset +xadd +xdel +xrange +client|setinfo"

QUARANTINE_ENTRIES: Final = 100
EXCERPT_BYTES: Final = 1000  # of an entry that is too large

# Keys: games, counters, actors.  Arguments: actor, sequence number, positions, blob, positions to keep.
# It first drops the oldest entries as long as `oldest` is below `bound`, so that a full server has room for the game:
# a full one refuses the first write of a script if that is to add, and none after one that deletes.
ADD: Final = """
local last = redis.call('HGET', KEYS[3], ARGV[1])
if last and tonumber(ARGV[2]) <= tonumber(last) then return 0 end
local counters = redis.call('HMGET', KEYS[2], 'games', 'positions', 'oldest')
local games = tonumber(counters[1] or 0) + 1
local before = tonumber(counters[2] or 0)
local total = before + tonumber(ARGV[3])
local oldest = tonumber(counters[3] or 0)
local bound = math.min(total - tonumber(ARGV[5]), before)
while oldest < bound do
  local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 2)
  if #entries == 0 then break end
  redis.call('XDEL', KEYS[1], entries[1][1])
  if #entries == 1 then
    oldest = before
  else
    oldest = entries[2][2][3] == 'b' and tonumber(entries[2][2][4]) or oldest
  end
  redis.call('HSET', KEYS[2], 'oldest', oldest)
end
redis.call('XADD', KEYS[1], '*', 'n', games, 'b', before, 'g', ARGV[4])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 'games', games, 'positions', total)
return 1
"""

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

ALL: Final = (ADD, READ, QUARANTINE)
