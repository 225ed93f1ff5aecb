import { ButtonLink } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { whereBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { readUsers } from '../../records/find.ts'
import { brandWords } from '../../words/brands.ts'

const { steps: text } = brandWords

/** What is left to do after a brand was created, until it can send; nothing after that, and where it is not known. */
export function NextSteps({ id }: { id: number }) {
  const { data } = useData((signal) => readState(id, signal), [id])
  if (data === undefined || (data.isTested && data.hasLogin)) return null
  const { transport, isTested, hasLogin } = data
  const link = (path: string, label: string, needs: string) =>
    can(needs) && <ButtonLink href={withQuery(path, { brand: id })}>{label}</ButtonLink>
  const steps = [
    {
      title: text.transport,
      isDone: transport !== undefined,
      links: link('/transports/new', text.transport, 'multipleTransports:create'),
    },
    {
      title: text.test,
      isDone: isTested,
      links:
        transport !== undefined &&
        link(`/transports/${transport}`, text.test, 'multipleTransports:edit'),
    },
    {
      title: text.login,
      isDone: hasLogin,
      links: (
        <>
          {link('/mautics/new', text.mautic, '*')}
          {link('/access/users/new', text.user, 'user:create')}
          {link('/access/clients/new', text.client, 'api:create')}
        </>
      ),
    },
  ]
  return (
    <Card title={text.title}>
      <p class="quiet small">{text.help}</p>
      <ol class="setup-steps">
        {steps.map(({ title, isDone, links }) => (
          <li key={title}>
            <span class="row">
              {isDone ? (
                <>
                  {title} <Badge tone="good">{text.done}</Badge>
                </>
              ) : (
                links || title
              )}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Reads what a brand has; undefined for users who may not know it. `transport` is one of its own: a tested one, if there is one. */
async function readState(id: number, signal: AbortSignal) {
  const query = { limit: 100, ...whereBrand(String(id)) }
  const options = { query, signal, isBackground: true }
  const [viewsLogins, viewsUsers] = [can('api:view'), can('user:view')]
  if (!can('multipleTransports:view') || !(viewsLogins || viewsUsers)) return undefined
  const [transports, mautics, clients, users] = await Promise.all([
    ask('GET', '/api/multipleTransports', { ...options, query: { ...query, with: 'lastTest' } }),
    viewsLogins ? ask('GET', '/api/mautics', options) : undefined,
    viewsLogins ? ask('GET', '/api/oauthClients', options) : undefined,
    viewsUsers ? readUsers(({ brands }) => brands.includes(id), signal) : undefined,
  ])
  const tested = transports.body.find(({ lastTest }) => lastTest?.success)
  const logins = [mautics?.body.total, clients?.body.total, users?.length]
  return {
    transport: (tested ?? transports.body[0])?.id,
    isTested: tested !== undefined,
    hasLogin: logins.some((count = 0) => count > 0),
  }
}
