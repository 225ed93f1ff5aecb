import { HelpLink } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { linesOf } from '../../lib/lines-of.ts'
import { loginDraftOf, loginInputOf } from '../../records/logins.tsx'
import type { Resource } from '../../records/resource-screen.tsx'
import { deleteRecord, readRecord, saveRecord } from '../../records/stored.ts'
import { mauticWords as text } from '../../words/mautics.ts'

export type Mautic = Schema<'Mautic'>

/** A role of Mautic, and the id of the role here; empty until one is chosen. */
interface MappedRole {
  theirs: string
  ours: string
}

/** What a change of needs the log-in to be tested. */
const loginFields: readonly (keyof Draft)[] = [
  'url',
  'login',
  'username',
  'password',
  'clientId',
  'clientSecret',
]

/** A Mautic as the form shows it. A stored secret is its mask, which keeps it. */
export type Draft = ReturnType<typeof draftOf>

function draftOf(mautic: Mautic | undefined) {
  const login: 'client' | 'user' = mautic?.clientId ? 'client' : 'user'
  const roles: [string, number][] = Object.entries(mautic?.roleMap ?? {})
  return {
    name: mautic?.name ?? '',
    url: mautic?.url ?? '',
    login,
    clientId: mautic?.clientId ?? '',
    clientSecret: mautic?.clientSecret ?? '',
    username: mautic?.username ?? '',
    password: mautic?.password ?? '',
    /** Id; empty for none. */
    transport: String(mautic?.transportId ?? ''),
    brand: brandDraft(mautic),
    /** One on each line. */
    hosts: mautic?.hosts.join('\n') ?? '',
    roleMap: roles.map(([theirs, ours]) => ({
      theirs,
      ours: String(ours),
    })) as readonly MappedRole[],
    isReporting: mautic?.isReporting ?? true,
    isTagging: mautic?.isTagging ?? false,
    ...loginDraftOf(mautic, 'queue'),
  }
}

/** The values for the API: only those of the chosen log-in. */
function inputOf({
  login,
  transport,
  hosts,
  roleMap,
  brand,
  ...draft
}: Draft): Schema<'MauticInput'> {
  const noClient = { clientId: null, clientSecret: null }
  const noUser = { username: null, password: null }
  const roles = roleMap.filter(({ theirs, ours }) => theirs.trim() !== '' && ours !== '')
  return {
    ...draft,
    ...(login === 'client' ? noUser : noClient),
    ...brandInput(brand),
    url: draft.url.trim(),
    transportId: transport === '' ? null : Number(transport),
    hosts: linesOf(hosts),
    ...loginInputOf(draft),
    roleMap: Object.fromEntries(roles.map(({ theirs, ours }) => [theirs.trim(), Number(ours)])),
  }
}

/** What one page of a Mautic remembers between its requests. */
export interface MauticPageState {
  /** Whether the log-in is saved without a test. */
  isUntested?: boolean
}

/** A new Mautic with its DSN, and whether its log-in was tested. */
export interface Created {
  mautic: Mautic
  isTested: boolean
}

/** Mautics, whose log-in is tested before it is saved. `onCreated` gets a new one. */
export function mauticResource(
  page: MauticPageState,
  onCreated: (created: Created) => void,
): Resource<Draft, Mautic> {
  return {
    path: '/mautics',
    area: 'api',
    // Administrators of a connected Mautic may do everything.
    needs: '*',
    texts: text,
    read: (id) => readRecord('mautic', id),
    draftOf,
    async write(id, draft, { etag, changed }) {
      const isTested = !page.isUntested && changed.some((name) => loginFields.includes(name))
      const query = isTested ? ({ ifTestPasses: '1' } as const) : {}
      const saved = await saveRecord('mautic', { id, etag, body: inputOf(draft) }, query)
      if (id !== undefined) return saved
      onCreated({ mautic: saved.record, isTested })
      return { record: saved.record, etag: undefined }
    },
    nameOf: ({ name }) => name,
    deletion: {
      text: (
        <>
          {text.deleteText} <HelpLink page="leave-mailyard" />
        </>
      ),
      remove: (id) => deleteRecord('mautic', id),
    },
  }
}
