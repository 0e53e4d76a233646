# Everything goes into the Python package `opyard`: the library, its binding and the headers of the C++ interface.
install(TARGETS opyard LIBRARY DESTINATION opyard/lib)
install(DIRECTORY include/opyard DESTINATION opyard/include)
