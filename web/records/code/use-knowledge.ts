import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import type { Knowledge, LanguageEntry } from './completion.ts'
import { pathsOfJson } from './context.ts'

const templatesMax = 20

/** The variables that every email has. */
const emailVariables = ['unsubscribe_url', 'unsubscribe_text', 'webview_url', 'email.subject']

/** The words of the language, once for all templates. */
let language: Promise<readonly LanguageEntry[]> | undefined
let contactPaths: Promise<readonly string[]> | undefined

async function loadLanguage(): Promise<readonly LanguageEntry[]> {
  return (await ask('GET', '/api/twigTemplates/language')).body.language
}

async function loadContactPaths(): Promise<readonly string[]> {
  if (!can('contact:view')) return []
  const { body } = await ask('GET', '/api/contacts/list/fields')
  return Object.values(body).map(({ alias }) => `contact.${alias}`)
}

/** What the completion of Twig knows: the language, the variables of the template and of the data, and templates. */
export function useKnowledge(variables: readonly { path: string }[], json: string): Knowledge {
  const known = useRef<{ language: readonly LanguageEntry[]; contact: readonly string[] }>({
    language: [],
    contact: [],
  })
  const now = useRef({ variables, json })
  now.current = { variables, json }
  useEffect(() => {
    language ??= loadLanguage()
    contactPaths ??= loadContactPaths()
    const forget = () => {
      language = undefined
      contactPaths = undefined
    }
    Promise.all([language, contactPaths]).then(([all, contact]) => {
      known.current = { language: all, contact }
    }, forget)
  }, [])
  return useMemo(
    () => ({
      language: () => known.current.language,
      variables: () => [
        ...now.current.variables.map(({ path }) => path),
        ...readPaths(now.current.json),
        ...known.current.contact,
        ...emailVariables,
      ],
      async findTemplates(start, signal) {
        const query = {
          search: start && `name:"${start.replaceAll('"', '')}"`,
          fields: 'id,name',
          limit: templatesMax,
        }
        const { body } = await ask('GET', '/api/twigTemplates', { query, signal })
        return body.twigTemplates.map(({ name }) => name)
      },
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
