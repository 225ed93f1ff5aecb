import createRouter, { type HTTPMethod } from 'find-my-way'

/** Knows which methods each path answers, for the 405 of the ones that it does not. */
export interface AllowedMethods {
  add(method: string, url: string): void
  /** The methods that the path answers, sorted; empty for an unknown path. */
  of(path: string): string[]
  /** Whether the path is one that is written out, and answers other methods than this one. */
  isOtherPath(method: string, path: string): boolean
}

const methods: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

export function createAllowedMethods(): AllowedMethods {
  const router = createRouter({ ignoreTrailingSlash: true })
  const written = new Map<string, Set<string>>()
  const known = new Set<string>()
  return {
    add(method, url) {
      const isMethod = (name: string): name is HTTPMethod => methods.some((each) => each === name)
      if (!isMethod(method) || known.has(`${method} ${url}`)) return
      known.add(`${method} ${url}`)
      router.on(method, url, () => undefined)
      if (!url.includes(':') && !url.includes('*')) {
        written.set(url, (written.get(url) ?? new Set()).add(method))
      }
    },
    of(path) {
      const exact = written.get(withoutTrailingSlash(path))
      const found = exact ?? methods.filter((method) => router.find(method, path) !== null)
      return [...found].sort()
    },
    isOtherPath(method, path) {
      const exact = written.get(withoutTrailingSlash(path))
      return exact !== undefined && !exact.has(method)
    },
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
