/**
 * Why a package file could not be had, as a whole sentence for people. `unreachable` holds for every
 * file of that host; `refused` is about this file alone.
 */
export class PackageError extends Error {
  override readonly name = 'PackageError';
  readonly kind: 'unreachable' | 'refused' | 'cancelled';

  constructor(kind: PackageError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
