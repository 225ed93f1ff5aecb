import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ask } from '../../lib/api.ts'
import { can, session } from '../../lib/session.ts'
import type { Knowledge, LanguageEntry, NamedTemplate } from './completion.ts'
import { pathsOfJson } from './context.ts'

const templatesMax = 20

/** The variables that every email has. */
const emailVariables = ['unsubscribe_url', 'unsubscribe_text', 'webview_url', 'email.subject']

interface Loaded {
  language: readonly LanguageEntry[]
  fields: readonly string[]
}

/** The words of the language and the fields of contacts, once for all editors. */
let loading: Promise<Loaded> | undefined
const forget = () => {
  loading = undefined
}
// The next user of the page may see others.
session.subscribe(forget)

async function load(): Promise<Loaded> {
  const [language, fields] = await Promise.all([
    can('twigtemplates:view') ? ask('GET', '/api/twigTemplates/language') : undefined,
    can('contact:view') ? ask('GET', '/api/contacts/list/fields') : undefined,
  ])
  return {
    language: language?.body.language ?? [],
    fields: Object.values(fields?.body ?? {}).map(({ alias }) => alias),
  }
}

/** Finds templates. */
export async function findTemplates(
  search: string,
  signal: AbortSignal,
  limit = templatesMax,
): Promise<readonly NamedTemplate[]> {
  if (!can('twigtemplates:view')) return []
  const query = { search, fields: 'id,name,isPublished', limit }
  return (await ask('GET', '/api/twigTemplates', { query, signal })).body.twigTemplates
}

/** What completion knows: the language, the variables of the code and of the data, the fields of contacts, and templates. */
export function useKnowledge(variables: readonly { path: string }[], json: string): Knowledge {
  const loaded = useRef<Loaded>({ language: [], fields: [] })
  const now = useRef({ variables, json })
  now.current = { variables, json }
  useEffect(() => {
    loading ??= load()
    loading.then((all) => {
      loaded.current = all
    }, forget)
  }, [session.value])
  return useMemo(
    () => ({
      language: () => loaded.current.language,
      contactFields: () => loaded.current.fields,
      variables: () => [
        ...now.current.variables.map(({ path }) => path),
        ...readPaths(now.current.json),
        ...loaded.current.fields.map((alias) => `contact.${alias}`),
        ...emailVariables,
      ],
      findTemplates: (start, signal) =>
        findTemplates(start && `name:"${start.replaceAll('"', '')}"`, signal),
    }),
    [],
  )
}

function readPaths(json: string): string[] {
  try {
    return pathsOfJson(JSON.parse(json))
  } catch {
    return []
  }
}
