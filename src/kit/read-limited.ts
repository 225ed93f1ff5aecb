/**
 * Reads a body as UTF-8.
 * @returns Undefined for one of more than `bytesMax`, whose connection is closed.
 */
export async function readLimited(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
