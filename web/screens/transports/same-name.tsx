import { useEffect, useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { transportWords } from '../../words/transports.ts'

const { editor } = transportWords
const typingPauseMs = 300

/** Warns while the name of a transport is typed that another one has: names are looked up, and must then be unique. */
export function SameName({ id, name }: { id: number | undefined; name: string }) {
  const [typed, setTyped] = useState(name)
  useEffect(() => {
    const timer = setTimeout(() => setTyped(name), typingPauseMs)
    return () => clearTimeout(timer)
  }, [name])
  const { data: other } = useData((signal) => findOther(typed, id, signal), [typed, id])
  if (other === undefined || keyOf(name) !== keyOf(typed)) return null
  return (
    <Notice tone="warn">
      <a href={`/transports/${other}`}>{editor.transport(other)}</a> {editor.sameName}
    </Notice>
  )
}

const keyOf = (name: string) => name.trim().toLowerCase()

async function findOther(
  name: string,
  id: number | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const text = keyOf(name).replaceAll('"', ' ')
  if (text === '') return undefined
  const query = { search: `+"${text}"`, fields: 'id,name', limit: 3 }
  const { body } = await ask('GET', '/api/multipleTransports', { query, signal })
  return body.find((each) => each.id !== id && keyOf(each.name) === keyOf(name))?.id
}
