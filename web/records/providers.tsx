import { ask, type Body } from '../lib/api.ts'
import { useData } from '../lib/use-data.ts'

/** A provider or a general form, as the API describes it. */
export type Provider = Body<'GET', '/api/multipleTransports/providers'>['providers'][number]

type Answer = Body<'GET', '/api/multipleTransports/providers'>

let loading: Promise<Answer> | undefined

/** Loads the providers and the configured default, once: they change with the settings of the server only. */
export function loadProviders(): Promise<Answer> {
  loading ??= ask('GET', '/api/multipleTransports/providers').then(({ body }) => body)
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

/** The providers, and scheme and host of the configured default transport; none while they load. */
export function useProviders(): Answer {
  return useData(loadProviders, []).data ?? { providers: [], defaultServer: null }
}

const list = /^(failover|roundrobin)\(/
const single = /^([\w+.-]+):(?:\/\/)?(?:[^/?#\s]*@)?([^@/?#\s]*)/

/** The provider of a DSN, and the server where the DSN names one: without its secrets. */
export function describeDsn(dsn: string, providers: readonly Provider[]) {
  const [, scheme = '', host = ''] = list.exec(dsn) ?? single.exec(dsn) ?? []
  const hasScheme = ({ variants }: Provider) =>
    variants.some(({ schemes }) => schemes.includes(scheme))
  const provider = providers.find(hasScheme)
  const isOwn = !['', 'default', 'null', 'local', '********'].includes(host)
  return {
    name: provider?.name ?? scheme,
    title: provider?.title ?? scheme,
    server: isOwn ? host : '',
  }
}

/** The name of a provider with its mark: initials on a colour that is always the same for it. */
export function ProviderName({ name, title }: { name: string; title: string }) {
  const plain = title.replace(/ \(.*\)$|:.*$/, '')
  const [first = '', second] = plain.split(/[\s-]+/)
  const initials =
    second === undefined
      ? first.slice(0, 2)
      : `${first.slice(0, 1)}${second.slice(0, 1)}`.toUpperCase()
  return (
    <span class="row" title={title}>
      <span class="provider-mark" style={{ '--mark': colourOf(name) }} aria-hidden="true">
        {initials}
      </span>
      <span>{plain}</span>
    </span>
  )
}

/** Dark enough for white letters. */
function colourOf(name: string): string {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7)
  return `oklch(0.48 0.13 ${hue})`
}
