import createRouter, { type HTTPMethod } from 'find-my-way'

/** The methods of each path, for responses with status 405. */
export interface AllowedMethods {
  add(method: string, url: string): void
  /** Returns the methods of a path, sorted; an empty list for an unknown path. */
  of(path: string): string[]
  /** Whether the path is the path of a route without parameters that has other methods than this one. */
  isOtherPath(method: string, path: string): boolean
}

const methods: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

export function createAllowedMethods(): AllowedMethods {
  const router = createRouter({ ignoreTrailingSlash: true })
  const literal = new Map<string, Set<string>>()
  const known = new Set<string>()
  return {
    add(method, url) {
      const isMethod = (name: string): name is HTTPMethod => methods.some((each) => each === name)
      if (!isMethod(method) || known.has(`${method} ${url}`)) return
      known.add(`${method} ${url}`)
      router.on(method, url, () => undefined)
      if (!url.includes(':') && !url.includes('*')) {
        literal.set(url, (literal.get(url) ?? new Set()).add(method))
      }
    },
    of(path) {
      const exact = literal.get(withoutTrailingSlash(path))
      const names = exact ?? methods.filter((method) => router.find(method, path) !== null)
      return [...names].sort()
    },
    isOtherPath(method, path) {
      const exact = literal.get(withoutTrailingSlash(path))
      return exact !== undefined && !exact.has(method)
    },
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
