/** Reads bytes in several buffers as if they were one buffer, without joining them. */
export interface ByteChunks {
  readonly sizeBytes: number
  /** The first position of `needle` between `from` and `to`; -1 where it is missing. */
  indexOf(needle: Buffer, from: number, to: number): number
  /** The bytes from `from` to `to`; copied only where they are in more than one buffer. */
  slice(from: number, to: number): Buffer
  /** The same bytes as several buffers, never copied. */
  pieces(from: number, to: number): Buffer[]
}

/** Smaller buffers are joined, so that searching them costs little. */
const smallBytes = 4_096
const pieceBytes = 65_536

export function createByteChunks(chunks: readonly Uint8Array[]): ByteChunks {
  const buffers = mergeSmall(chunks)
  const starts: number[] = []
  let sizeBytes = 0
  for (const buffer of buffers) {
    starts.push(sizeBytes)
    sizeBytes += buffer.length
  }
  const pieces = (from: number, to: number) => {
    const parts: Buffer[] = []
    for (let index = lastAtMost(starts, from); index < buffers.length; index++) {
      const start = starts[index] ?? 0
      if (start >= to) break
      const piece = buffers[index]?.subarray(Math.max(0, from - start), to - start)
      if (piece !== undefined && piece.length > 0) parts.push(piece)
    }
    return parts
  }
  const slice = (from: number, to: number) => {
    const parts = pieces(from, to)
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }
  return {
    sizeBytes,
    pieces,
    slice,
    indexOf(needle, from, to) {
      const overlap = needle.length - 1
      let at = from
      for (let index = lastAtMost(starts, from); at < to && index < buffers.length; index++) {
        const start = starts[index] ?? 0
        const piece = buffers[index]?.subarray(at - start, to - start)
        if (piece === undefined || piece.length === 0) continue
        const offset = piece.indexOf(needle)
        if (offset !== -1) return at + offset
        at += piece.length
        if (overlap === 0 || at >= to) continue
        // It may begin in this piece and end in the next.
        const seam = Math.max(from, at - overlap)
        const across = slice(seam, Math.min(to, at + overlap)).indexOf(needle)
        if (across !== -1) return seam + across
      }
      return -1
    },
  }
}

function mergeSmall(chunks: readonly Uint8Array[]): Buffer[] {
  const merged: Buffer[] = []
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const merge = () => {
    const [only] = waiting
    if (only !== undefined) merged.push(waiting.length === 1 ? only : Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
  }
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (buffer.length >= smallBytes) {
      merge()
      merged.push(buffer)
      continue
    }
    waiting.push(buffer)
    waitingBytes += buffer.length
    if (waitingBytes >= pieceBytes) merge()
  }
  merge()
  return merged
}

/** The index of the last of the ascending `starts` that is not above `value`. */
function lastAtMost(starts: readonly number[], value: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}
