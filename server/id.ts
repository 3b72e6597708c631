import { v7 } from 'uuid';

/** A new UUIDv7: unique, and sorted by the time it was made. */
export const createId = (): string => v7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isId = (value: string): boolean => UUID.test(value);
