import createRouter, { type HTTPMethod } from 'find-my-way'
import { suggest } from '../../kit/suggest.ts'

const methods: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/** The methods of each path, for responses with status 405. */
export class AllowedMethods {
  readonly #router = createRouter({ ignoreTrailingSlash: true })
  /** By the path of each route without parameters. */
  readonly #literal = new Map<string, Set<string>>()
  readonly #known = new Set<string>()

  add(name: string, url: string): void {
    const method = methods.find((each) => each === name)
    if (method === undefined || this.#known.has(`${method} ${url}`)) return
    this.#known.add(`${method} ${url}`)
    this.#router.on(method, url, () => undefined)
    if (!url.includes(':') && !url.includes('*'))
      this.#literal.set(url, (this.#literal.get(url) ?? new Set()).add(method))
  }

  /** Returns the methods of a path, sorted; an empty list for an unknown path. */
  of(path: string): string[] {
    const exact = this.#literal.get(withoutTrailingSlash(path))
    const names = exact ?? methods.filter((method) => this.#router.find(method, path) !== null)
    return [...names].sort()
  }

  /** Suggests paths that exist for one with a misspelt resource: `Did you mean "/api/emails/3"?` */
  suggest(path: string): string | undefined {
    const [, resource = '', rest = ''] = /^\/api\/([^/]+)(.*)$/s.exec(path) ?? []
    const others = new Set([...this.#known].flatMap((known) => known.split('/')[2] ?? []))
    const known = [...others].filter((other) => this.of(`/api/${other}${rest}`).length > 0)
    return suggest(resource, known)?.replaceAll(/"(.*?)"/g, (_, name) => `"/api/${name}${rest}"`)
  }

  /** Whether the path is the path of a route without parameters that has other methods than this one. */
  isOtherPath(method: string, path: string): boolean {
    const exact = this.#literal.get(withoutTrailingSlash(path))
    return exact !== undefined && !exact.has(method)
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
