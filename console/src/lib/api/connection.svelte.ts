type ConnectionState = 'idle' | 'open' | 'closed' | 'refused';

/** How the line to the server is; drawn as a banner while it is down. */
class Connection {
  state = $state<ConnectionState>('idle');

  set(state: ConnectionState): void {
    this.state = state;
  }
}

export const connection = new Connection();
