! SPDX-License-Identifier: BSD-3-Clause
! The ring in Fortran, through the mpi module and, where asked for, mpi_f08; two ranks or more.
subroutine modern(rank, ranks)
  use mpi_f08
  integer, intent(in) :: rank, ranks
  integer :: here(4), there(4), indices(2), n
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  here = rank
  call MPI_Irecv(there, 4, MPI_INTEGER, modulo(rank - 1, ranks), 21, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(here, 4, MPI_INTEGER, modulo(rank + 1, ranks), 21, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Allreduce(MPI_IN_PLACE, here, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (there(4) /= modulo(rank - 1, ranks)) stop 1
end subroutine modern

program ring
  use mpi
  integer :: rank, ranks, ierror, comm
  integer :: status(MPI_STATUS_SIZE)
  double precision, save :: out(10), in(10)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  out = rank
  call MPI_Sendrecv(out, 10, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 20, in, 10, MPI_DOUBLE_PRECISION, &
                    modulo(rank - 1, ranks), 20, MPI_COMM_WORLD, status, ierror)
  if (nint(in(10)) /= modulo(rank - 1, ranks)) stop 1
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, comm, ierror)
  call MPI_Comm_set_name(comm, 'every second', ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(1)
  if (MPI_Wtime() < 0) stop 1
  call modern(rank, ranks)
  call MPI_Finalize(ierror)
end program ring
