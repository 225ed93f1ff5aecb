import { pause } from '../../kit/pause.ts'

/** How many entries are written without a pause for other requests. */
const entriesPerBatch = 100

/** Writes a large object as JSON in chunks. Between the chunks of a list or an object, other requests are served. */
export async function* writeInPieces(
  body: Readonly<Record<string, unknown>>,
): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (typeof value === 'object' && value !== null) yield* writeEntries(value)
    else yield JSON.stringify(value)
  }
  yield separator === '{' ? '{}' : '}'
}

async function* writeEntries(value: object): AsyncGenerator<string> {
  const isList = Array.isArray(value)
  const names = Object.keys(value)
  const write = (name: string) => {
    const text = JSON.stringify(Reflect.get(value, name)) ?? 'null'
    return isList ? text : `${JSON.stringify(name)}:${text}`
  }
  yield isList ? '[' : '{'
  for (let start = 0; start < names.length; start += entriesPerBatch) {
    if (start > 0) await pause()
    const members = names.slice(start, start + entriesPerBatch).map(write)
    yield `${start === 0 ? '' : ','}${members.join(',')}`
  }
  yield isList ? ']' : '}'
}
